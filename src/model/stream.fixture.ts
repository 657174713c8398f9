import { createAssembler, type RawReply } from './assemble.ts'

/** Assembles the data fields of a whole stream at once. */
export function assembleStream(data: readonly string[], toolNames: readonly string[] = []): RawReply {
  const assembler = createAssembler({ maxCharacters: 8_000_000, toolNames })
  for (const item of data) {
    if (assembler.isSettled()) break
    assembler.addData(item)
  }
  return assembler.end()
}
