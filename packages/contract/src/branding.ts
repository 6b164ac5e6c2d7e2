/** How the sign-in pages of a workspace look (workspace-file.md, `branding`). */
import type { Requirement } from './fault-texts.ts'
import { type Static, Type } from './schema.ts'
import { closed, Title } from './workspace-names.ts'

const OptionalUrl = Type.Optional(Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 2048 })]))

/** A hexadecimal color, such as `#0b5` or `#00bb55`. */
export const colorPattern = '^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$'

export const Branding = Type.Object(
  {
    name: Type.Optional(Type.Union([Type.Null(), Title])),
    logo: OptionalUrl,
    color: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.String({ pattern: colorPattern, description: 'A color such as #0b5 or #00bb55' }),
      ]),
    ),
    termsUrl: OptionalUrl,
    privacyUrl: OptionalUrl,
  },
  closed,
)
export type Branding = Static<typeof Branding>

/** Returns the allowed form for a wrong address of a logo or a page, or undefined. */
export const brandUrlProblem = (text: string): Requirement | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === ''
  // A policy (CSP) separates its sources by these characters.
  return isPlain && !/[\s;,'"]/.test(text) ? undefined : { code: 'brand-url' }
}
