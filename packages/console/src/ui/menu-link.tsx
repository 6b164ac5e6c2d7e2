import { Menu, type MenuItemProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

/** A link to a place in the console, as an item of a menu. */
export const MenuLink = createLink(
  (props: MenuItemProps & Omit<ComponentPropsWithRef<'a'>, keyof MenuItemProps>) => (
    <Menu.Item component="a" {...props} />
  ),
)
