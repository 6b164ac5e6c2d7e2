import { Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

interface TabListProps {
  label: string
  current: string | null
  children: ReactNode
}

/** Tabs in one row. On a phone the row scrolls (style.css), to the current tab at the start. */
export const TabList = ({ label, current, children }: TabListProps) => {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = current === null ? undefined : list.current?.querySelector('[aria-selected="true"]')
    // It moves the row alone: `scrollIntoView` would move the page too.
    if (list.current && tab instanceof HTMLElement)
      list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2
  }, [current])
  return (
    <Tabs.List ref={list} aria-label={label}>
      {children}
    </Tabs.List>
  )
}
