/** Links to places in the console, as text, in the navigation and in menus. */
import { Anchor, type AnchorProps, Menu, type MenuItemProps, NavLink, type NavLinkProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type LinkLike<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>

export const TextLink = createLink((props: LinkLike<AnchorProps>) => <Anchor {...props} />)
export const NavigationLink = createLink((props: LinkLike<NavLinkProps>) => (
  <NavLink component="a" {...props} />
))
export const MenuLink = createLink((props: LinkLike<MenuItemProps>) => <Menu.Item component="a" {...props} />)
