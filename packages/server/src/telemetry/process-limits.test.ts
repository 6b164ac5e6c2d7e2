import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fitOpenCollections, readProcessLimits } from './process-limits.ts'

const enough = { files: 20_000, maps: 65_530, tasks: Number.POSITIVE_INFINITY }

test('limits that are high enough leave the setting as it is, without a warning', () => {
  assert.deepEqual(fitOpenCollections(1000, enough), { openMax: 1000, warnings: [] })
})

test('limits that are too low reduce the open collections, and each names itself', () => {
  const few = fitOpenCollections(1000, { files: 256, maps: 3_000, tasks: 48 })
  assert.equal(few.openMax, 16)
  assert.deepEqual(
    few.warnings.map(warning => /ulimit -n|max_map_count|TasksMax/.exec(warning)?.[0]),
    ['ulimit -n', 'max_map_count', 'TasksMax'],
  )
})

test('a tiny limit still leaves one collection open', () => {
  assert.equal(fitOpenCollections(1000, { ...enough, files: 4 }).openMax, 1)
})

test('the limits of this process can be read', () => {
  for (const limit of Object.values(readProcessLimits())) assert.ok(limit > 0)
})

for (const { version, files, tasks } of [
  {
    version: 'v2, with a limit of the unit',
    files: {
      'proc/self/cgroup': '0::/system.slice/querent.service\n',
      'sys/fs/cgroup/system.slice/pids.max': 'max\n',
      'sys/fs/cgroup/system.slice/querent.service/pids.max': '40\n',
    },
    tasks: 40,
  },
  {
    version: 'v2, with a lower limit above the unit',
    files: {
      'proc/self/cgroup': '0::/system.slice/querent.service\n',
      'sys/fs/cgroup/system.slice/pids.max': '30\n',
      'sys/fs/cgroup/system.slice/querent.service/pids.max': '40\n',
    },
    tasks: 30,
  },
  {
    version: 'v1',
    files: {
      'proc/self/cgroup': '5:cpu,cpuacct:/other\n4:pids:/user.slice\n1:name=systemd:/user.slice\n0::/\n',
      'sys/fs/cgroup/pids/pids.max': 'max\n',
      'sys/fs/cgroup/pids/user.slice/pids.max': '50\n',
    },
    tasks: 50,
  },
  {
    version: 'a container that shows its own group as the root',
    files: { 'proc/self/cgroup': '0::/hidden\n', 'sys/fs/cgroup/pids.max': '60\n' },
    tasks: 60,
  },
  { version: 'a system without control groups', files: {}, tasks: Number.POSITIVE_INFINITY },
])
  test(`the limit of threads is that of the control group: ${version}`, async t => {
    const root = await mkdtemp(join(tmpdir(), 'querent-limits-'))
    t.after(() => rm(root, { recursive: true }))
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    assert.equal(readProcessLimits(root).tasks, tasks)
  })
