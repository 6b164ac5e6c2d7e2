/** Reads and checks workspace files (workspace-file.md). */
import { clientFaults } from './client-faults.ts'
import { defaultNativeSchemes, type NativeSchemes } from './client-uris.ts'
import { definitionFaults } from './definition-faults.ts'
import type { ErrorPlace } from './errors.ts'
import { partialFaults } from './partial-faults.ts'
import { type Fault, schemaFaults } from './schema-faults.ts'
import { WorkspaceFile } from './workspace-file.ts'
import { readSource } from './workspace-source.ts'

const errorsMax = 100

/**
 * Reads a workspace file, YAML or JSON of at most 1 MiB. Returns the file, or 1 to 100 errors in the order of the text. Each error has line
 * and column (from 1), the path with dots, the value and what is allowed. Errors of meaning, such as an unknown name, are also reported beside
 * errors of the schema, unless these may be their cause. `nativeSchemes`: schemes of redirect URIs that the operator
 * allows. Never throws.
 */
export const readWorkspaceFile = (
  source: string,
  nativeSchemes: NativeSchemes = defaultNativeSchemes,
): { file: WorkspaceFile } | { errors: ErrorPlace[] } => {
  const read = readSource(source)
  if ('errors' in read) return read
  const shape = schemaFaults(WorkspaceFile, read.value)
  // The schema accepted it. The interface WorkspaceFile equals the schema, with endpoints as a union by kind.
  const file = read.value as WorkspaceFile
  const faults =
    shape.length > 0
      ? takeFirst(errorsMax, [shape, partialFaults(file, shape, nativeSchemes)])
      : takeFirst(errorsMax, [definitionFaults(file), clientFaults(file, nativeSchemes)])
  if (faults.length === 0) return { file }
  const errors = faults
    .map(({ path, target, ...text }) => ({ ...text, path: path.join('.'), ...read.findPlace(path, target) }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
  return { errors: errors.slice(0, errorsMax) }
}

/** Takes at most `count` faults, and stops the search after them. */
const takeFirst = (count: number, sources: Iterable<Fault>[]): Fault[] => {
  const faults: Fault[] = []
  for (const source of sources)
    for (const fault of source) {
      if (faults.length >= count) return faults
      faults.push(fault)
    }
  return faults
}
