import { type EmbeddedSettings, openEmbeddedEngine } from './embedded.ts'
import type { Engine } from './engine.ts'

/** Which engine, and what it needs to be opened. A new engine is a line here and a file beside. */
export type EngineSettings = { kind: 'embedded' } & EmbeddedSettings

export function openEngine(settings: EngineSettings): Promise<Engine> {
  switch (settings.kind) {
    case 'embedded':
      return openEmbeddedEngine(settings)
  }
}
