import { Group, SimpleGrid, Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import { useMatches } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'

/** While a part of a page is loaded. */
export const Loading = () => (
  <Announced>
    <Rows count={4} />
  </Announced>
)

/** While a page is loaded: its outline, so that little moves when it appears. */
export const PageLoading = () => {
  const path = useMatches({ select: matches => matches.at(-1)?.fullPath ?? '' })
  const Content = layouts[path] ?? TableLayout
  return (
    <Announced>
      <Stack gap="lg" maw={1280} mx="auto">
        <Stack gap="xs">
          <Skeleton h={32} w={220} />
          <Skeleton h={18} w="min(420px, 80%)" />
        </Stack>
        <Content />
      </Stack>
    </Announced>
  )
}

const Announced = ({ children }: { children: ReactNode }) => (
  <div role="status">
    <VisuallyHidden>{t('Loading')}</VisuallyHidden>
    {children}
  </div>
)

const Rows = ({ count }: { count: number }) => (
  <Stack gap="md">
    {Array.from({ length: count }, (_, row) => (
      // Rows have nothing but their place.
      <Skeleton key={String(row)} h={28} />
    ))}
  </Stack>
)

const TableLayout = () => <Rows count={6} />

const CardsLayout = () => (
  <SimpleGrid cols={{ base: 1, sm: 2 }}>
    <Skeleton h={150} />
    <Skeleton h={150} />
    <Skeleton h={150} />
    <Skeleton h={150} />
  </SimpleGrid>
)

const SearchLayout = () => (
  <Stack>
    <Skeleton h={92} />
    <Group align="flex-start" wrap="nowrap">
      <Stack flex={1}>
        <Skeleton h={72} />
        <Skeleton h={72} />
        <Skeleton h={72} />
      </Stack>
      <Stack w={240} visibleFrom="sm">
        <Skeleton h={160} />
        <Skeleton h={160} />
      </Stack>
    </Group>
  </Stack>
)

const FormLayout = () => (
  <Stack maw={520}>
    <Skeleton h={60} />
    <Skeleton h={60} />
    <Skeleton h={36} w={120} />
  </Stack>
)

const EditorLayout = () => <Skeleton h={420} />

/** Outlines of the pages that are no table, by the path of their route. */
const layouts: Readonly<Record<string, () => ReactNode>> = {
  '/w/$workspace/': CardsLayout,
  '/w/$workspace/apis': CardsLayout,
  '/w/$workspace/apis/$api': SearchLayout,
  '/w/$workspace/usage': CardsLayout,
  '/w/$workspace/refused': FormLayout,
  '/w/$workspace/settings/general': FormLayout,
  '/w/$workspace/settings/security': FormLayout,
  '/w/$workspace/settings/sign-in': FormLayout,
  '/w/$workspace/settings/workspace-file': EditorLayout,
  '/you': FormLayout,
  '/server/backup': FormLayout,
}
