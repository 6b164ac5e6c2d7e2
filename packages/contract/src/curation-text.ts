/** The texts that curation rules compare (workspace-file.md, `curation`): without case and with white space collapsed. */
export const foldText = (text: string): string =>
  text.normalize('NFC').trim().toLowerCase().replace(/\s+/g, ' ')
