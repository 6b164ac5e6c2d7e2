/** Version numbers that existing clients write in paths for this contract (query-service.md, Paths). */
import type { RequestListener } from 'node:http'
import { contractVersion } from '@querent/contract/paths'

const versionedPath = /^(\/\.well-known\/oauth-protected-resource)?\/([0-9]+)(?=[/?]|$)/

/** Returns the path or URL with the version of the contract if it has one of `versions`. */
export const toContractPath = (path: string, versions: readonly string[] = []): string => {
  if (versions.length === 0) return path
  const [start, prefix = '', version = ''] = versionedPath.exec(path) ?? []
  return start !== undefined && versions.includes(version)
    ? `${prefix}/${contractVersion}${path.slice(start.length)}`
    : path
}

/** Answers URLs with one of `versions` like those of the contract. */
export const withContractPaths = (answer: RequestListener, versions: readonly string[]): RequestListener =>
  versions.length === 0
    ? answer
    : (request, response) => {
        request.url = toContractPath(request.url ?? '/', versions)
        return answer(request, response)
      }
