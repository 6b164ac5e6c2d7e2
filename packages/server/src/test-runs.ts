/** For tests: how much of a long test the ordinary set runs. tools/nightly-tests.ts lists the files that use it. */

/** Whether this is a nightly run, or one after a change of the subject of the file. */
const isNightly = process.env.QUERENT_TEST_NIGHTLY === '1'

/** Returns the number of runs, or whatever else says how long a test takes. */
export const chooseRuns = <const T>(ordinary: T, nightly: T): T => (isNightly ? nightly : ordinary)
