import { type EmbeddedSettings, openEmbeddedEngine } from './embedded/embedded.ts'
import type { Engine, EngineError } from './engine.ts'
import type { OpenSearchSettings } from './opensearch/cluster.ts'
import type { GenerationVersions } from './opensearch/versions.ts'

/** Kind and settings of the engine. A new engine needs a line here and a folder in `engines/`. */
export type EngineSettings =
  | ({ kind: 'embedded' } & EmbeddedSettings)
  | ({ kind: 'opensearch'; versions: GenerationVersions } & OpenSearchSettings)

/** Opens the engine. With `onUnreachable`, an unresponsive remote engine is reported there and does not delay the start. */
export async function openEngine(
  settings: EngineSettings,
  onUnreachable?: (error: EngineError) => void,
): Promise<Engine> {
  switch (settings.kind) {
    case 'embedded':
      return openEmbeddedEngine(settings)
    case 'opensearch': {
      // Imported on demand, because most installations use the embedded engine.
      const { openOpenSearchEngine } = await import('./opensearch/opensearch.ts')
      return openOpenSearchEngine(settings, settings.versions, onUnreachable)
    }
  }
}
