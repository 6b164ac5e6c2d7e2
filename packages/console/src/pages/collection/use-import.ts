/** Starts, follows and cancels one import at a time. */
import type { ImportProgress, ImportReply, UpdateReply } from '@querent/contract/query'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type ImportOptions, importFile, importProgress, isGzip, type NamedImport } from '#api/documents.ts'

const pollIntervalMs = 500
/** After a cancel, until the server has noticed. */
const settlingIntervalMs = 200
const settlingTriesMax = 50
/** After this number of unknown states, the import never reached the server. */
const unknownTriesMax = 5

interface StartedImport {
  place: NamedImport
  file: File
  options: ImportOptions
  /** Milliseconds since 1970. */
  startedAt: number
  controller: AbortController
}

/** `progress` is undefined if the server did not report in time. */
export type ImportResult =
  | { kind: 'done'; reply: ImportReply | UpdateReply; options: ImportOptions; file: File }
  | { kind: 'cancelled'; progress: ImportProgress | undefined; options: ImportOptions }

/** Progress of the running import. */
export interface RunningImport {
  bytesTotal: number
  bytesSent: number
  /** Undefined until the first report. */
  serverProgress: { documents: number; bytesRead: number; afterMs: number } | undefined
  isCancelled: boolean
  /** The server counts the bytes of the decompressed file, whose size is unknown. */
  isCompressed: boolean
  /** A canceled import keeps no documents. */
  isAtomic: boolean
}

export const useImport = (workspace: string, collection: string) => {
  const cache = useQueryClient()
  const [bytesSent, setBytesSent] = useState(0)
  const [isCancelled, setCancelled] = useState(false)
  const current = useRef<AbortController>(undefined)
  // Leaving the page cancels the import.
  useEffect(() => () => current.current?.abort(), [])
  const upload = useMutation({
    mutationFn: (started: StartedImport) => runImport(started, setBytesSent),
    onSettled: () => cache.invalidateQueries(),
  })
  const started = upload.isPending ? upload.variables : undefined
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['importProgress', started?.place.name],
    queryFn: () => (started ? importProgress(started.place) : null),
    enabled: started !== undefined,
    refetchInterval: pollIntervalMs,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const running: RunningImport | undefined = started && {
    bytesTotal: started.file.size,
    bytesSent,
    serverProgress:
      data?.state === 'running'
        ? { documents: data.documents, bytesRead: data.bytes, afterMs: dataUpdatedAt - started.startedAt }
        : undefined,
    isCancelled,
    isCompressed: isGzip(started.file.name),
    isAtomic: started.options.replace || started.options.strict,
  }
  return {
    underway: running,
    outcome: upload.data,
    error: upload.error,
    /** The file of the outcome or the error, and how it was imported. */
    file: upload.variables?.file,
    options: upload.variables?.options,
    /** `onDone` is called once the server has taken the whole file. */
    start(file: File, options: ImportOptions, onDone: () => void) {
      const controller = new AbortController()
      current.current = controller
      setBytesSent(0)
      setCancelled(false)
      const place = { workspace, collection, name: crypto.randomUUID() }
      upload.mutate(
        { place, file, options, startedAt: Date.now(), controller },
        { onSuccess: ({ kind }) => kind === 'done' && onDone() },
      )
    },
    cancel() {
      setCancelled(true)
      current.current?.abort()
    },
    /** Hides the result of the last import. */
    clear: upload.reset,
  }
}

const runImport = async (
  { place, file, options, controller: { signal } }: StartedImport,
  onSent: (bytes: number) => void,
): Promise<ImportResult> => {
  try {
    // Only an import needs it, not each page of the collection.
    const { detectMediaType } = await import('./detect-media-type.ts')
    const mediaType = await detectMediaType(file)
    const reply = await importFile(place, file, mediaType, options, onSent, signal)
    return { kind: 'done', reply, options, file }
  } catch (error) {
    if (!signal.aborted) throw error
    return { kind: 'cancelled', progress: await awaitFinalProgress(place), options }
  }
}

/** Returns the progress of a canceled import, as soon as the server has noticed. */
const awaitFinalProgress = async (place: NamedImport): Promise<ImportProgress | undefined> => {
  for (let tries = 1; tries <= settlingTriesMax; tries += 1) {
    // If the server is unreachable, the progress is unknown.
    const progress = await importProgress(place).catch(() => undefined)
    if (progress?.state === 'complete' || progress?.state === 'broken') return progress
    if (progress?.state === 'unknown' && tries >= unknownTriesMax) return progress
    await new Promise(resolve => setTimeout(resolve, settlingIntervalMs))
  }
  return undefined
}
