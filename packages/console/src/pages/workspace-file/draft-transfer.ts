/** A file that is taken along from the page of one workspace to that of another, which it names. */
let carried: { workspace: string; text: string } | undefined

export const carry = (workspace: string, text: string): void => {
  carried = { workspace, text }
}

export const carriedTo = (workspace: string): string | undefined =>
  carried?.workspace === workspace ? carried.text : undefined

export const putDown = (): void => {
  carried = undefined
}
