/**
 * `npm run types`: checks the types of every project. The compiler notes what it checked in `node_modules/.cache`, and then checks only what
 * depends on a change.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const projects = ['.', 'packages/console', 'tests/console/dom', 'docs/.vitepress']

const checkProject = (project: string): boolean => {
  const notes = join(root, 'node_modules', '.cache', `types-${project.replaceAll(/\W+/g, '-')}.tsbuildinfo`)
  const args = ['-p', join(root, project, 'tsconfig.json'), '--incremental', '--tsBuildInfoFile', notes]
  return spawnSync(join(root, 'node_modules', '.bin', 'tsc'), args, { stdio: 'inherit' }).status === 0
}

if (!projects.every(checkProject)) process.exitCode = 1
