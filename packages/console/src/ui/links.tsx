/** Links to places in the console, as text and in the navigation. */
import { Anchor, type AnchorProps, Button, type ButtonProps, NavLink, type NavLinkProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type LinkLike<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>

export const TextLink = createLink((props: LinkLike<AnchorProps>) => <Anchor {...props} />)
export const ButtonLink = createLink((props: LinkLike<ButtonProps>) => <Button component="a" {...props} />)
export const NavigationLink = createLink((props: LinkLike<NavLinkProps>) => (
  <NavLink component="a" {...props} />
))
