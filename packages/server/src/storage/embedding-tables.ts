/** Tables of the embedders' work. */

export interface EmbeddingTables {
  /** Documents whose vectors have to be made, by generation (its id in the engine). */
  embedding_work: {
    generation: string
    document_id: string
    workspace_id: string
    /** New for each write of the document. */
    token: string
    /** Milliseconds since 1970. */
    due_at: number
    /** Times that the embedder rejected the text. */
    attempts: number
  }
  /** How far the documents of a generation were searched for missing and outdated vectors. */
  embedding_scans: {
    generation: string
    workspace_id: string
    /** Identifies the models and the text fields that the scan is for. */
    key: string
    /** Id of the last document; '': none. */
    after_id: string
    documents: number
    done: number
  }
}
