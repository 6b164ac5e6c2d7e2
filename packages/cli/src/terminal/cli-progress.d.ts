/** Types for the part of cli-progress that we use. The package has none. */
declare module 'cli-progress' {
  export interface Options {
    format: string
    stream: NodeJS.WriteStream
    barsize?: number
    hideCursor?: boolean
    clearOnComplete?: boolean
    etaBuffer?: number
    fps?: number
  }
  export interface Preset {
    barCompleteChar: string
    barIncompleteChar: string
    format: string
  }
  export class SingleBar {
    constructor(options: Options, preset?: Preset)
    start(total: number, startValue: number, payload?: Record<string, string>): void
    update(current: number, payload?: Record<string, string>): void
    stop(): void
  }
  const library: { SingleBar: typeof SingleBar; Presets: { shades_classic: Preset } }
  export default library
}
