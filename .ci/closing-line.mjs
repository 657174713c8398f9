// Prints `N passed, N failed, N skipped` from Vitest's JSON report and ends with the status of the whole run:
// 0 only when the tests passed, none was skipped, and both kinds of tests ran.
import { readFileSync } from 'node:fs'

const [reportFile, testStatus] = process.argv.slice(2)
let report
try {
  report = JSON.parse(readFileSync(reportFile, 'utf8'))
} catch (error) {
  console.error(`no test report: ${error.message}`)
  process.exit(1)
}
const count = status =>
  report.testResults.flatMap(file => file.assertionResults).filter(test => status.includes(test.status)).length
const passed = count(['passed'])
const brokenFiles = report.testResults.filter(
  file => file.status === 'failed' && file.assertionResults.length === 0,
).length
const failed = count(['failed']) + brokenFiles
const skipped = count(['pending', 'skipped', 'todo', 'disabled'])
const ranIn = part =>
  report.testResults
    .filter(file => file.name.includes(part))
    .flatMap(file => file.assertionResults)
    .filter(test => test.status === 'passed').length

let ok = Number(testStatus) === 0 && failed === 0
if (skipped > 0) {
  ok = false
  for (const file of report.testResults) {
    for (const test of file.assertionResults)
      if (test.status !== 'passed' && test.status !== 'failed') console.error(`skipped: ${test.fullName}`)
  }
}
for (const part of ['/test/docker-', '/test/proof', '/src/']) {
  if (ranIn(part) === 0) {
    ok = false
    console.error(`no test of ${part} passed`)
  }
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(ok ? 0 : 1)
