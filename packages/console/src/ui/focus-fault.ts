/** Focuses the first input with an error, in the middle of the view: a footer may cover the edge. Returns whether there is one. */
export const focusFault = (form: HTMLElement | null | undefined): boolean => {
  const fault = form?.querySelector<HTMLElement>('[aria-invalid=true]')
  fault?.focus()
  fault?.scrollIntoView?.({ block: 'center' })
  return Boolean(fault)
}
