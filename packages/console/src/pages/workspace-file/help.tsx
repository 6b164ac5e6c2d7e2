import { Modal, Stack, Text, Title } from '@mantine/core'
import type { DialogState } from '#ui/dialog-button.tsx'
import { kindReference, typeReference } from './reference.ts'

/** Reference of field types and endpoint kinds. */
export const Help = ({ isOpen, onClose }: DialogState) => (
  <Modal
    opened={isOpen}
    onClose={onClose}
    title="Types and kinds"
    size="xl"
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    <Stack>
      <Words title="Types of fields" headings={['type', 'example value', 'used by']} words={typeReference} />
      <Words
        title="Kinds of endpoints"
        headings={['kind', 'keys (* is required)', 'what it does']}
        words={kindReference}
      />
      <Text size="sm">For more, see docs/describe-your-search.md in the Querent repository.</Text>
    </Stack>
  </Modal>
)

interface WordsProps {
  title: string
  headings: readonly string[]
  words: Readonly<Record<string, readonly [string, string]>>
}

const Words = ({ title, headings, words }: WordsProps) => (
  <Stack gap="xs">
    <Title order={3} size="h5">
      {title}
    </Title>
    <table className="table" aria-label={title}>
      <thead>
        <tr>
          {headings.map(heading => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Object.entries(words).map(([word, [first, second]]) => (
          <tr key={word}>
            <th scope="row">{word}</th>
            <td style={{ overflowWrap: 'anywhere' }}>{first}</td>
            <td>{second}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Stack>
)
