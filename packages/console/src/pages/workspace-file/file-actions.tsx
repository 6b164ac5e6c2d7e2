/** Takes the text of the workspace file out of the console, and that of another file in. */
import { Alert, Button, CopyButton, FileButton } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { saveFile } from '#ui/save-file.ts'

/** The bound of the management API. */
const fileBytesMax = 1024 * 1024

/** A file that somebody has chosen. */
export interface ChosenFile {
  name: string
  /** Undefined: the file is too large, and was not read. */
  text: string | undefined
}

interface FileActionsProps {
  workspace: string
  /** As typed. */
  text: string
  onChoose: (file: ChosenFile) => void
}

export const FileActions = ({ workspace, text, onChoose }: FileActionsProps) => {
  const choose = async (file: File | null) => {
    if (!file) return
    onChoose({ name: file.name, text: file.size > fileBytesMax ? undefined : await file.text() })
  }
  const download = () =>
    text.trimStart().startsWith('{')
      ? saveFile(`${workspace}.json`, 'application/json', text)
      : saveFile(`${workspace}.yaml`, 'application/yaml', text)
  return (
    <>
      <Button variant="default" onClick={download}>
        {t('Download')}
      </Button>
      <CopyButton value={text} timeout={2000}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy}>
            {copied ? t('Copied') : t('Copy')}
          </Button>
        )}
      </CopyButton>
      <FileButton accept=".yaml,.yml,.json" onChange={choose}>
        {button => (
          <Button variant="default" {...button}>
            {t('Open a file')}
          </Button>
        )}
      </FileButton>
    </>
  )
}

/** Says that a chosen file is in the editor only, or why it is not. */
export const ChosenFileNote = ({ name, text }: ChosenFile) =>
  text === undefined ? (
    <Alert color="red" variant="light">
      {t('{name} is too large: a workspace file has at most 1 MB. The text stays as it was.', { name })}
    </Alert>
  ) : (
    <Alert color="querent" variant="light">
      {t('The editor has the text of {name}. Nothing is applied yet: preview the changes, then apply them.', {
        name,
      })}
    </Alert>
  )
