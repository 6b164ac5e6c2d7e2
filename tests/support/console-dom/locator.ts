/**
 * Finds and uses elements of the fake DOM as Playwright's locators do in a browser, so that a test reads the same in both. Roles and names
 * come from Testing Library, clicks and keys from its user-event.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setImmediate as nextTask } from 'node:timers/promises'
import { fireEvent, queryAllByRole } from '@testing-library/dom'
import { userEvent } from '@testing-library/user-event'
import type { Element, HTMLElement, HTMLInputElement } from 'happy-dom'
import { window } from '#console/test-dom'
import { waitUntil as waitForResult } from '#server/test-wait'

export type Text = string | RegExp

export interface RoleOptions {
  name?: Text
  exact?: boolean
  level?: number
  checked?: boolean
  selected?: boolean
  expanded?: boolean
  pressed?: boolean
  disabled?: boolean
  includeHidden?: boolean
}

/** A file as a person chooses it. */
export interface ChosenFile {
  name: string
  mimeType: string
  buffer: Uint8Array
}

const { document } = window
const user = userEvent.setup({ document: document as never, delay: null, pointerEventsCheck: 0 })

/** Waits until `condition` returns a value other than undefined. Throws with `describe()` and the text of the page if it gives up. */
export const waitUntil = <T>(condition: () => T | undefined, describe: () => string) =>
  waitForResult(condition, () => `this is past: ${describe()}, in:\n${describePage()}`)

const normalize = (text: string | null | undefined): string => (text ?? '').replaceAll(/\s+/g, ' ').trim()

const matches = (text: string, wanted: Text, exact = false): boolean => {
  if (wanted instanceof RegExp) return new RegExp(wanted.source, wanted.flags.replace('g', '')).test(text)
  const expected = normalize(wanted)
  return exact ? text === expected : text.toLowerCase().includes(expected.toLowerCase())
}

const describePage = (): string => {
  const body = document.body.cloneNode(true)
  for (const style of body.querySelectorAll('style, script')) style.remove()
  return normalizeLines(body.textContent).slice(0, 3000)
}
const normalizeLines = (text: string) => text.replaceAll(/\n\s*\n+/g, '\n')

const isVisible = (element: Element): boolean => {
  for (let ancestor: Element | null = element; ancestor; ancestor = ancestor.parentElement) {
    if (ancestor.hasAttribute('hidden')) return false
    const style = (ancestor as HTMLElement).style
    if (style?.display === 'none') return false
    const parent = ancestor.parentElement
    if (parent?.tagName === 'DETAILS' && !parent.hasAttribute('open') && ancestor.tagName !== 'SUMMARY')
      return false
  }
  return element.isConnected
}

/** Elements with this text of which no child has it. */
const findByText = (root: Element, wanted: Text, exact: boolean): Element[] => {
  const hasText = (element: Element) => {
    if (/^(SCRIPT|STYLE|NOSCRIPT|HEAD|TITLE)$/.test(element.tagName)) return false
    const { type, value } = element as HTMLInputElement
    const text = element.tagName === 'INPUT' && /^(submit|button)$/.test(type) ? value : element.textContent
    return matches(normalize(text), wanted, exact)
  }
  const search = (element: Element): Element[] => {
    if (!exact && !(wanted instanceof RegExp) && !hasText(element)) return []
    const inner = [...element.children].flatMap(search)
    return inner.length > 0 || !hasText(element) ? inner : [element]
  }
  return search(root)
}

const readLabels = (element: Element): string[] => {
  const ids = element.getAttribute('aria-labelledby')?.split(/\s+/) ?? []
  const labelTexts = ids.map(id => document.getElementById(id)?.textContent ?? '')
  const labels = [...((element as HTMLInputElement).labels ?? [])].map(label => label.textContent)
  return [
    ...(labelTexts.length > 0 ? [labelTexts.join(' ')] : []),
    ...labels,
    element.getAttribute('aria-label') ?? '',
  ].filter(label => label !== '')
}

const { getComputedStyle } = window

/** `display` of elements by tag, class and style of their own: no rule of the console's style sheets depends on more. */
const displays = new Map<string, string>()
const readDisplay = (element: Element): string => {
  const key = [element.tagName, element.getAttribute('class'), element.getAttribute('style')].join()
  const display = displays.get(key)
  if (display !== undefined) return display
  const computed = getComputedStyle.call(window, element).display
  displays.set(key, computed)
  return computed
}

/**
 * Runs `find` with computed styles that have only `display` and `visibility`, which is all that roles and names depend on. happy-dom would
 * compute every property of an element and its ancestors each time.
 */
const withFewStyles = <T>(find: () => T): T => {
  // `visibility` is inherited.
  if (document.querySelector('[style*="visibility"]')) return find()
  const readStyle = (element: Element) => {
    const style = { display: readDisplay(element), visibility: 'visible' }
    return { ...style, getPropertyValue: (name: string) => Reflect.get(style, name) ?? '' }
  }
  try {
    window.getComputedStyle = readStyle as never
    return find()
  } finally {
    window.getComputedStyle = getComputedStyle
  }
}

/** CSS with Playwright's comma-free `>>`-less form only. */
const select = (root: Element, css: string): Element[] => [
  ...(root === document.documentElement ? document : root).querySelectorAll(css),
]

export class Locator {
  readonly #find: () => Element[]
  readonly #description: string
  constructor(find: () => Element[], description: string) {
    this.#find = find
    this.#description = description
  }

  /** The elements that match now, in the order of the document. */
  elements(): Element[] {
    return this.#find()
  }
  #below(find: (root: Element) => Element[], description: string): Locator {
    return new Locator(
      () => [...new Set(this.elements().flatMap(find))],
      `${this.#description} ${description}`.trim(),
    )
  }

  getByRole(
    role: string,
    { name, exact = false, includeHidden = false, disabled, ...states }: RoleOptions = {},
  ): Locator {
    const options = {
      hidden: includeHidden,
      ...states,
      ...(name === undefined ? {} : { name: (text: string) => matches(normalize(text), name, exact) }),
    }
    return this.#below(
      root =>
        // The types of this program include no DOM, and happy-dom's elements are those of Testing Library.
        (
          withFewStyles(() => queryAllByRole(root as never, role, options as never)) as unknown as Element[]
        ).filter(it => disabled === undefined || isDisabled(it) === disabled),
      `${role} ${name ?? ''}`,
    )
  }
  getByText(text: Text, { exact = false } = {}): Locator {
    return this.#below(root => findByText(root, text, exact), `text ${text}`)
  }
  getByLabel(text: Text, { exact = false } = {}): Locator {
    return this.#below(
      root =>
        select(root, '*').filter(it => readLabels(it).some(label => matches(normalize(label), text, exact))),
      `label ${text}`,
    )
  }
  getByPlaceholder(text: Text): Locator {
    return this.#below(
      root => select(root, '[placeholder]').filter(it => matches(it.getAttribute('placeholder') ?? '', text)),
      `placeholder ${text}`,
    )
  }
  locator(css: string): Locator {
    return this.#below(root => select(root, css), css)
  }
  filter({
    hasText,
    hasNotText,
    has,
    hasNot,
  }: {
    hasText?: Text
    hasNotText?: Text
    has?: Locator
    hasNot?: Locator
  }): Locator {
    const contains = (element: Element, other: Locator) =>
      other.elements().some(it => element.contains(it) && it !== element)
    return new Locator(
      () =>
        this.elements().filter(
          it =>
            (hasText === undefined || matches(normalize(it.textContent), hasText)) &&
            (hasNotText === undefined || !matches(normalize(it.textContent), hasNotText)) &&
            (has === undefined || contains(it, has)) &&
            (hasNot === undefined || !contains(it, hasNot)),
        ),
      `${this.#description} with ${hasText ?? has?.toString() ?? ''}`,
    )
  }
  and(other: Locator): Locator {
    return new Locator(() => {
      const otherElements = new Set(other.elements())
      return this.elements().filter(it => otherElements.has(it))
    }, `${this.#description} and ${other}`)
  }
  or(other: Locator): Locator {
    return new Locator(
      () => [...new Set([...this.elements(), ...other.elements()])],
      `${this.#description} or ${other}`,
    )
  }
  nth(index: number): Locator {
    return new Locator(() => {
      const element = this.elements().at(index)
      return element ? [element] : []
    }, `${this.#description} (${index})`)
  }
  first = (): Locator => this.nth(0)
  last = (): Locator => this.nth(-1)
  toString = (): string => this.#description

  async count(): Promise<number> {
    return this.elements().length
  }
  async all(): Promise<Locator[]> {
    return this.elements().map((_, index) => this.nth(index))
  }
  async allTextContents(): Promise<string[]> {
    return this.elements().map(it => it.textContent)
  }
  async isVisible(): Promise<boolean> {
    return this.elements().some(isVisible)
  }

  #one(accepts: (element: Element) => boolean = () => true): Promise<HTMLElement> {
    return waitUntil(
      () => {
        const elements = this.elements()
        assert.ok(
          elements.length <= 1,
          `${elements.length} elements match: ${this}\n${elements.map(it => it.outerHTML.slice(0, 300)).join('\n')}`,
        )
        const [element] = elements
        // HTML has nothing else that the console uses.
        return element && accepts(element) ? (element as HTMLElement) : undefined
      },
      () => `${this} is not there, or not usable (${this.elements().length} match)`,
    )
  }

  /** Waits for exactly one visible element, or until it is there (`attached`), invisible (`hidden`) or gone (`detached`). */
  async waitFor({
    state = 'visible',
  }: {
    state?: 'visible' | 'attached' | 'detached' | 'hidden'
  } = {}): Promise<void> {
    if (state === 'visible') await this.#one(isVisible)
    else if (state === 'attached') await this.#one()
    else
      await waitUntil(
        () => (this.elements().some(it => state === 'detached' || isVisible(it)) ? undefined : true),
        () => `${this} is still there`,
      )
  }
  async textContent(): Promise<string | null> {
    return (await this.#one()).textContent
  }
  async innerText(): Promise<string> {
    return normalize((await this.#one()).textContent)
  }
  async inputValue(): Promise<string> {
    return ((await this.#one()) as HTMLInputElement).value
  }
  async getAttribute(name: string): Promise<string | null> {
    return (await this.#one()).getAttribute(name)
  }
  async isDisabled(): Promise<boolean> {
    return isDisabled(await this.#one())
  }
  async isEnabled(): Promise<boolean> {
    return !(await this.isDisabled())
  }
  async isChecked(): Promise<boolean> {
    const element = await this.#one()
    return (element as HTMLInputElement).checked ?? element.getAttribute('aria-checked') === 'true'
  }

  #usable = () => this.#one(it => isVisible(it) && !isDisabled(it))
  async click(): Promise<void> {
    await this.#usable()
    // As in Playwright, which waits until the element has the same place in two frames: a dialog moves the focus just after it appears.
    await nextFrame()
    const element = await this.#usable()
    await user.click(element as never)
    await nextTask()
  }
  async dblclick(): Promise<void> {
    await user.dblClick((await this.#usable()) as never)
  }
  async hover(): Promise<void> {
    await user.hover((await this.#usable()) as never)
  }
  async focus(): Promise<void> {
    ;(await this.#one()).focus()
  }
  async blur(): Promise<void> {
    ;(await this.#one()).blur()
  }
  async press(key: string): Promise<void> {
    ;(await this.#one(isVisible)).focus()
    await pressKey(key)
  }
  async fill(value: string): Promise<void> {
    const element = await this.#usable()
    element.focus()
    fireEvent.input(element as never, { target: { value } } as never)
    const field = element as HTMLInputElement
    // The caret follows, where the kind of field has one.
    if (typeof field.selectionStart === 'number') field.setSelectionRange(value.length, value.length)
    await nextTask()
  }
  clear = (): Promise<void> => this.fill('')
  async pressSequentially(text: string): Promise<void> {
    const element = await this.#usable()
    element.focus()
    await typeText(text)
  }
  async check(): Promise<void> {
    if (!(await this.isChecked())) await this.click()
    assert.ok(await this.isChecked(), `${this} is not checked`)
  }
  async uncheck(): Promise<void> {
    if (await this.isChecked()) await this.click()
    assert.ok(!(await this.isChecked()), `${this} is checked`)
  }
  /** Chooses an option by its value or, as an object, by its text. */
  async selectOption(option: string | { label: string }): Promise<void> {
    await user.selectOptions(
      (await this.#usable()) as never,
      typeof option === 'string' ? option : option.label,
    )
  }
  /** Chooses files, or the file at a path, in a field that need not be visible. */
  async setInputFiles(files: ChosenFile | readonly ChosenFile[] | string): Promise<void> {
    const element = await this.#one()
    const chosen =
      typeof files === 'string'
        ? [{ name: basename(files), mimeType: '', buffer: await readFile(files) }]
        : [files].flat()
    const list = chosen.map(
      ({ name, mimeType, buffer }) => new File([Buffer.from(buffer)], name, { type: mimeType }),
    )
    Object.defineProperty(element, 'files', { value: list, configurable: true })
    fireEvent.change(element as never)
    await nextTask()
  }
  async dispatchEvent(type: string, init: object = {}): Promise<void> {
    const element = await this.#one()
    element.dispatchEvent(new window.MouseEvent(type, { bubbles: true, cancelable: true, ...init }))
    await nextTask()
  }
  async isFocused(): Promise<boolean> {
    return this.elements().some(it => it === document.activeElement)
  }
  /** For a failing test. */
  async outerHTML(): Promise<string> {
    return (await this.#one()).outerHTML
  }
}

const nextFrame = () => new Promise(resolve => window.requestAnimationFrame(resolve))

const isDisabled = (element: Element): boolean =>
  element.matches(':disabled') ||
  element.getAttribute('aria-disabled') === 'true' ||
  element.closest('fieldset[disabled]') !== null

const names: Readonly<Record<string, string>> = { ControlOrMeta: 'Control' }

/** Presses a key, or several as in `Control+Enter`. */
export const pressKey = async (keys: string): Promise<void> => {
  const parts = keys === '+' ? ['+'] : keys.split('+')
  const last = parts.pop() ?? ''
  const modifiers = parts.map(key => names[key] ?? key)
  const text = /^( |Space)$/.test(last)
    ? '[Space]'
    : last.length === 1
      ? last.replace(/[{[]/, '$&$&')
      : `{${last}}`
  await user.keyboard(
    `${modifiers.map(key => `{${key}>}`).join('')}${text}${modifiers.map(key => `{/${key}}`).join('')}`,
  )
  // Browsers do this, and user-event does not.
  const summary = document.querySelector<HTMLElement>('summary:focus')
  if (summary && /^( |Space|Enter)$/.test(last)) summary.click()
  await nextTask()
}

/** Types characters into the focused field. */
export const typeText = (text: string): Promise<void> => user.keyboard(text.replaceAll(/[{[]/g, '$&$&'))

/** The whole page. */
export const pageLocator = new Locator(() => [document.documentElement], '')
