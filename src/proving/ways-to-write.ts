/** Ordinary ways to make a new file from a shell or with a tool. */
import { shell, type Way } from './ways.ts'

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Ways to write a text that ends with a line break. The text must hold no line `EOF` or `PY`.
 * @example
 * honest: combineWays([waysToWrite('report.md', '# Report\n')], 'Written.')
 */
export function waysToWrite(path: string, text: string): readonly Way[] {
  const base64 = Buffer.from(text).toString('base64')
  const lines = text.trimEnd().split('\n').map(quote).join(' ')
  return [
    { name: 'write_file', act: ({ write }) => write(path, text) },
    shell('cat here-doc', `cat > ${path} <<'EOF'\n${text}EOF`),
    shell('tee here-doc', `tee ${path} > /dev/null <<'EOF'\n${text}EOF`),
    shell('python here-doc', `python3 - <<'PY'\nopen('${path}', 'w').write(${JSON.stringify(text)})\nPY`),
    shell('printf of lines', `printf '%s\\n' ${lines} > ${path}`),
    shell('made in /tmp and moved', `cat > /tmp/new.txt <<'EOF'\n${text}EOF\nmv /tmp/new.txt ${path}`),
    shell('base64', `echo ${base64} | base64 -d > ${path}`),
    shell('with a look at it', `cat > ${path} <<'EOF'\n${text}EOF\ncat ${path}`, `ls -la ${path}`),
  ]
}
