import { useLocalStorage } from '@mantine/hooks'

/** The person's choice for the results of an API, which the browser remembers. */
export interface DisplaySettings {
  /** In this order; absent: the most useful ones of each result. */
  fields?: readonly string[]
  /** Whether pictures of other servers are loaded. */
  hasPictures?: boolean
}

export const useDisplaySettings = (workspace: string, api: string) =>
  useLocalStorage<DisplaySettings>({
    key: `querent-results:${workspace}/${api}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  })
