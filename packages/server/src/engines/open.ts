import { type EmbeddedSettings, openEmbeddedEngine } from './embedded/embedded.ts'
import type { Engine, EngineError } from './engine.ts'
import type { OpenSearchSettings } from './opensearch/cluster.ts'
import type { GenerationVersions } from './opensearch/versions.ts'

/** Which engine, and what it needs to be opened. A new engine is a line here and a file beside. */
export type EngineSettings =
  | ({ kind: 'embedded' } & EmbeddedSettings)
  | ({ kind: 'opensearch'; versions: GenerationVersions } & OpenSearchSettings)

/** With `onAway`, an engine elsewhere that does not answer is told so, and not waited for. */
export async function openEngine(
  settings: EngineSettings,
  onAway?: (error: EngineError) => void,
): Promise<Engine> {
  switch (settings.kind) {
    case 'embedded':
      return openEmbeddedEngine(settings)
    case 'opensearch': {
      // Loaded by those who use it.
      const { openOpenSearchEngine } = await import('./opensearch/opensearch.ts')
      return openOpenSearchEngine(settings, settings.versions, onAway)
    }
  }
}
