import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { t } from '#i18n/translate.ts'

// The text is there at once, its colors a moment later.
const ColoredCode = lazy(async () => ({ default: (await import('./colored-code.tsx')).ColoredCode }))

interface CopyValueProps {
  label: string
  value: string
  /** Keeps its line breaks, such as a command. */
  block?: boolean
}

/** A value to be copied by button, or selected by hand. */
export const CopyValue = ({ label, value, block = false }: CopyValueProps) => (
  <Stack gap={4}>
    <Group justify="space-between" gap="xs">
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <CopyButton value={value} timeout={2000}>
        {({ copied, copy }) => (
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={copy}
            leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            aria-label={copied ? t('{label} copied', { label }) : t('Copy {label}', { label })}
          >
            {copied ? t('Copied') : t('Copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
    <Code
      block={block}
      p="xs"
      fz="sm"
      tabIndex={block ? 0 : undefined}
      style={{ whiteSpace: block ? 'pre-wrap' : 'normal', overflowWrap: 'anywhere' }}
    >
      {block ? (
        <Suspense fallback={value}>
          <ColoredCode>{value}</ColoredCode>
        </Suspense>
      ) : (
        value
      )}
    </Code>
  </Stack>
)
