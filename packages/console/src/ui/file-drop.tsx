import '@mantine/dropzone/styles.css'
import { Group, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { IconFileUpload } from '@tabler/icons-react'
import type { ReactNode, Ref } from 'react'
import { t } from '#i18n/translate.ts'

interface FileDropProps {
  onDrop: (files: File[]) => void
  isLoading?: boolean
  isDisabled?: boolean
  zone?: Ref<HTMLDivElement>
  /** Height in pixels. */
  height: number
  /** Allowed files. */
  children: ReactNode
}

/** Takes one file of documents, dropped or chosen. */
export const FileDrop = ({
  onDrop,
  isLoading = false,
  isDisabled = false,
  zone,
  height,
  children,
}: FileDropProps) => (
  <Dropzone
    ref={zone}
    onDrop={onDrop}
    multiple={false}
    loading={isLoading}
    disabled={isDisabled}
    inputProps={{ 'aria-label': t('File of documents') }}
    aria-label={t('Drop a file of documents, or choose one')}
  >
    <Group justify="center" gap="md" mih={height} wrap="nowrap">
      <IconFileUpload size={36} stroke={1.5} style={{ flexShrink: 0 }} />
      <Stack gap={0}>
        <Text fw={600}>{t('Drop a file here, or choose one')}</Text>
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      </Stack>
    </Group>
  </Dropzone>
)
