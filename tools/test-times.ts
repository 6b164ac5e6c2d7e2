/** Where the time of a test run goes: wall time and processor time of groups and files. */
import type { TestGroup } from './test-files.ts'

/** Time of the tests of one file, without the imports and the hooks of the files in its process. */
export interface FileTime {
  file: string
  wallSeconds: number
  processorSeconds: number
}
export interface GroupTime {
  group: TestGroup
  wallSeconds: number
  /** Unknown if the group ended before its summary. */
  processorSeconds: number | undefined
  files: readonly FileTime[]
}

const slowestCount = 10

const writeRow = (seconds: readonly (number | undefined)[], name: string): string =>
  `${seconds.map(value => (value?.toFixed(1) ?? '?').padStart(7)).join('')}  ${name}`

const nameGroup = ({ files }: TestGroup): string =>
  files.length === 1 ? `${files[0]}` : `${files[0]} and ${files.length - 1} more`

const bySeconds = (a: { wallSeconds: number }, b: { wallSeconds: number }) => b.wallSeconds - a.wallSeconds

const writeFiles = ({ files }: GroupTime): string[] =>
  files.toSorted(bySeconds).map(time => writeRow([time.wallSeconds, time.processorSeconds], `  ${time.file}`))

const sum = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)

/** Returns the lines of the report: the slowest groups, or with `isWhole` all groups with their files, and the sums. */
export const reportTimes = (times: readonly GroupTime[], isWhole: boolean): string[] => {
  const slowest = times.toSorted(bySeconds).slice(0, isWhole ? times.length : slowestCount)
  const lines = slowest.flatMap(time => [
    writeRow([time.wallSeconds, time.processorSeconds], nameGroup(time.group)),
    ...(isWhole && time.group.files.length > 1 ? writeFiles(time) : []),
  ])
  const total = writeRow(
    [sum(times.map(time => time.wallSeconds)), sum(times.map(time => time.processorSeconds))],
    `all ${times.length} groups, without the parts that they share`,
  )
  return ['slowest groups (seconds; seconds of processor time)', ...lines, ...(isWhole ? [total] : [])]
}
