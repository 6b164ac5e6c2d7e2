import { Stack, Text } from '@mantine/core'
import { useMatches } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { NavigationLink } from './links.tsx'
import { findEntry, type WorkspaceEntry, workspaceSections } from './navigation.ts'

interface WorkspaceNavigationProps {
  workspace: string
  /** A link was followed. */
  onFollow: () => void
}

/** The pages of a workspace that the person may see, in sections. */
export const WorkspaceNavigation = ({ workspace, onFollow }: WorkspaceNavigationProps) => {
  const { may } = useWorkspaceAccess(workspace)
  const current = useMatches({ select: matches => findEntry(matches.at(-1)?.fullPath ?? '')?.to })
  const isOpen = (entry: WorkspaceEntry) => !('needs' in entry) || may(entry.needs)
  return (
    <Stack gap="md">
      {workspaceSections.map(({ heading, entries }) => {
        const openEntries = entries.filter(isOpen)
        if (openEntries.length === 0) return null
        return (
          <NavigationSection key={heading ?? ''} heading={heading}>
            {openEntries.map(({ to, label, icon: Icon }) => (
              <NavigationLink
                key={to}
                to={to}
                params={{ workspace }}
                label={label}
                leftSection={<Icon size={18} stroke={1.7} />}
                // A page below it keeps it marked.
                active={to === current}
                activeOptions={{ exact: true }}
                onClick={onFollow}
              />
            ))}
          </NavigationSection>
        )
      })}
    </Stack>
  )
}

/** A group of links below a heading. */
export const NavigationSection = ({
  heading,
  children,
}: {
  heading: string | undefined
  children: ReactNode
}) => (
  <Stack gap={2}>
    {heading !== undefined && (
      <Text size="xs" fw={600} c="dimmed" px="sm" mb={2}>
        {heading}
      </Text>
    )}
    {children}
  </Stack>
)
