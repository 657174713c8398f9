// Prints `N passed, N failed, N skipped` from Vitest's JSON reports and ends with the status of the whole run:
// 0 only when the tests passed, none was skipped, and every kind of test ran.
import { readFileSync } from 'node:fs'

const [testStatus, ...reportFiles] = process.argv.slice(2)
const report = { testResults: [] }
try {
  for (const file of reportFiles) report.testResults.push(...JSON.parse(readFileSync(file, 'utf8')).testResults)
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
const testsIn = part =>
  report.testResults.filter(file => file.name.includes(part)).flatMap(file => file.assertionResults)
const passedIn = (part, words = '') =>
  testsIn(part).filter(test => test.status === 'passed' && test.fullName.includes(words)).length

let ok = Number(testStatus) === 0 && failed === 0
const complain = text => {
  ok = false
  console.error(text)
}
for (const file of report.testResults) {
  for (const test of file.assertionResults) {
    if (test.status !== 'passed' && test.status !== 'failed') complain(`skipped: ${test.fullName}`)
  }
}
for (const part of [
  '/src/',
  '/test/docker-bench',
  '/test/proof',
  '/test/namespace-bench',
  '/test/namespace-user',
  '/test/docker-llama',
]) {
  if (passedIn(part) === 0) complain(`no test of ${part} passed`)
}
// Every driver runs the whole contract; what a kind of sandbox cannot have (two traits) is left out by name.
const CONTRACT = 'keeps the contract of sandboxes'
const TRAITS = 2
const size = testsIn('/test/docker-driver').filter(test => test.fullName.includes(CONTRACT)).length
for (const [driver, least] of [
  ['docker', size],
  ['namespace', size - TRAITS],
]) {
  const ran = passedIn(`/test/${driver}-driver`, CONTRACT)
  if (size === 0 || ran < least) complain(`the ${driver} driver kept ${ran} of the ${size} tests of the contract`)
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(ok ? 0 : 1)
