/** The reader of workspace files (workspace-file.md): text in, a checked file or the places that are wrong out. */
import { clientFaults } from './client-faults.ts'
import { definitionFaults } from './definition-faults.ts'
import type { ErrorPlace } from './errors.ts'
import { type Fault, schemaFaults } from './schema-faults.ts'
import { WorkspaceFile } from './workspace-file.ts'
import { readSource } from './workspace-source.ts'

const errorsMax = 100

/**
 * Reads a workspace file, YAML or JSON of at most 1 MiB. Either it is right throughout, or there are one to 100 errors in the order of the
 * text, each with line and column (from 1), the path with dots, what was found and what is allowed. Errors of meaning (a name that
 * nothing has) are looked for only when the schema accepts the file. Never throws.
 */
export const readWorkspaceFile = (source: string): { file: WorkspaceFile } | { errors: ErrorPlace[] } => {
  const read = readSource(source)
  if ('errors' in read) return read
  const shape = schemaFaults(WorkspaceFile, read.value)
  // The schema accepted it; WorkspaceFile the interface says the same as WorkspaceFile the schema, with its endpoints told apart.
  const file = read.value as WorkspaceFile
  const faults = shape.length > 0 ? shape : firstOf(errorsMax, [definitionFaults(file), clientFaults(file)])
  if (faults.length === 0) return { file }
  const errors = faults
    .map(({ path, message, at }) => ({ message, path: path.join('.'), ...read.placeOf(path, at) }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
  return { errors: errors.slice(0, errorsMax) }
}

/** Takes no more than `count`: each next one is only looked for when it is taken. */
const firstOf = (count: number, sources: Iterable<Fault>[]): Fault[] => {
  const faults: Fault[] = []
  for (const source of sources)
    for (const fault of source) {
      if (faults.length >= count) return faults
      faults.push(fault)
    }
  return faults
}
