/** Cases of a property test: a sample in `npm test`, many in the project `whole`. */
export const numRuns = process.env.AGENT_BENCH_WHOLE === '1' ? 500 : 50
