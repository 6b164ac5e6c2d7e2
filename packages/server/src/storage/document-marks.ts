/**
 * The number of writes of each generation, as last saved: evidence if the folder of the embedded engine is lost or replaced by an older one.
 * A mark may be behind the documents, never ahead of what is durable there.
 */
import type { Storage } from './db.ts'

export const createDocumentMarks = ({ db }: Pick<Storage, 'db'>) => ({
  async read(): Promise<Map<string, number>> {
    const rows = await db.selectFrom('document_marks').selectAll().execute()
    return new Map(rows.map(({ id, writes }) => [id, writes]))
  },
  /** Saves marks that have risen, in one transaction. */
  save: (marks: ReadonlyMap<string, number>): Promise<void> =>
    db.transaction().execute(async transaction => {
      for (const [id, writes] of marks)
        await transaction
          .insertInto('document_marks')
          .values({ id, writes })
          .onConflict(conflict =>
            conflict.column('id').doUpdateSet({ writes }).where('document_marks.writes', '<', writes),
          )
          .execute()
    }),
  async remove(id: string): Promise<void> {
    await db.deleteFrom('document_marks').where('id', '=', id).execute()
  },
})

export type DocumentMarks = ReturnType<typeof createDocumentMarks>
