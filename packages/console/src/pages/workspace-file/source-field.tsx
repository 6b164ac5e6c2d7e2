import { Textarea } from '@mantine/core'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '#i18n/translate.ts'
import type { Editor } from './editor.ts'

interface SourceFieldProps {
  text: string
  onChange: (text: string) => void
  /** Ctrl-S, or Command-S. */
  onSave: () => void
  /** The editor has taken the place of the plain field. */
  onOpen: (editor: Editor) => void
  /** There once it is loaded. */
  editor: RefObject<Editor | undefined>
}

const label = t('Workspace file')

/** The text: first a plain field; the editor, which is large, is loaded when the page has been painted, and takes its place. */
export const SourceField = ({ text, onChange, onSave, onOpen, editor }: SourceFieldProps) => {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const save = useRef(onSave)
  save.current = onSave
  const handleOpen = useRef(onOpen)
  handleOpen.current = onOpen
  useEffect(() => {
    let isGone = false
    const open = async () => {
      const { openEditor } = await import('./editor.ts')
      if (isGone || !place.current || !field.current) return
      const { value, selectionStart, selectionEnd } = field.current
      const isFocused = document.activeElement === field.current
      // Nobody finds both, or none.
      flushSync(() => setOpen(true))
      editor.current = openEditor(place.current, {
        text: value,
        label,
        onChange,
        onSave: () => save.current(),
      })
      if (isFocused) editor.current.select(selectionStart, selectionEnd)
      handleOpen.current(editor.current)
    }
    const painted = requestAnimationFrame(() => {
      // The plain field does for who cannot load it.
      setTimeout(() => open().catch(() => {}))
    })
    return () => {
      isGone = true
      cancelAnimationFrame(painted)
      editor.current?.close()
      editor.current = undefined
    }
  }, [editor, onChange])
  return (
    <>
      {!isOpen && (
        <Textarea
          ref={field}
          aria-label={label}
          value={text}
          onChange={event => onChange(event.currentTarget.value)}
          rows={text.split('\n').length}
          spellCheck={false}
          autoCapitalize="off"
          ff="monospace"
        />
      )}
      <div ref={place} />
    </>
  )
}
