/**
 * A generation of the embedded engine whose index is that of another several times side by side: as many postings and values as so many
 * more documents have, in as many more segments. Its documents are stored once: all copies of one lead to it. An index of ten million
 * is made in a minute so; to import them takes 10 to 30.
 */
import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Segment {
  segment_id: string
  max_doc: number
  deletes: unknown
}

/** The files of a segment are named after it, without the hyphens of its id. */
const fileOf = (id: string) => id.replaceAll('-', '')

/** `from` and `to` are folders of generations that no process has open. */
export const copyIndex = async (from: string, to: string, times: number): Promise<void> => {
  await rm(to, { recursive: true, force: true })
  await mkdir(join(to, 'index'), { recursive: true })
  await copyFile(join(from, 'documents.db'), join(to, 'documents.db'))
  // tantivy's own, of the version that the engine is built with.
  const meta: { segments: Segment[] } = JSON.parse(await readFile(join(from, 'index', 'meta.json'), 'utf8'))
  const managed: string[] = JSON.parse(await readFile(join(from, 'index', '.managed.json'), 'utf8'))
  const segments: Segment[] = []
  const files = ['meta.json']
  for (let time = 0; time < times; time++)
    for (const segment of meta.segments) {
      const id = randomUUID()
      segments.push({ ...segment, segment_id: id })
      for (const name of managed.filter(name => name.startsWith(fileOf(segment.segment_id)))) {
        const copy = name.replace(fileOf(segment.segment_id), fileOf(id))
        await copyFile(join(from, 'index', name), join(to, 'index', copy))
        files.push(copy)
      }
    }
  await writeFile(join(to, 'index', '.managed.json'), JSON.stringify(files))
  await writeFile(join(to, 'index', 'meta.json'), JSON.stringify({ ...meta, segments }))
}
