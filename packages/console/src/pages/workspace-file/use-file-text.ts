/** The text of a workspace file while a person edits it, and the state of the workspace that it started from. */
import type { ApplyReply } from '@querent/contract/manage'
import { useEffect, useRef, useState } from 'react'
import { callWithBase, type FileBase, FileChanged } from '#api/file-base.ts'
import { management, useOperation } from '#api/manage.ts'
import { clearRecovered, keepDuringSignIn, readRecoveredText } from '#api/session.ts'
import { clearDraft, readDraft } from './draft-transfer.ts'
import type { Editor } from './editor.ts'
import { scanName } from './other-workspace.tsx'
import { useAttempts } from './use-attempts.ts'
import { dryRun } from './use-typing-check.ts'

/** Nothing that somebody else saved since is undone: then `current` is the file as it is now, and nothing was applied. */
export const useFileText = (workspace: string, opened: FileBase) => {
  // A refetch of the workspace does not replace the typed text.
  const [recovered] = useState(readRecovered)
  const [text, setText] = useState(readDraft(workspace) ?? recovered?.text ?? opened.source)
  /** The state that the text started from. */
  const [base, setBase] = useState(recovered?.base ?? opened)
  /** The file, if somebody else has changed it since. */
  const [current, setCurrent] = useState<FileBase>()
  const [isMerged, setMerged] = useState(false)
  const apply = useOperation('applyWorkspaceFile')
  const [otherWorkspace, setOtherWorkspace] = useState<ApplyReply>()
  const editor = useRef<Editor>(undefined)
  const currentText = useRef(text)
  currentText.current = text
  const currentBase = useRef(base)
  currentBase.current = base
  useTextDuringSignIn(text, base)
  const namesOther = (scanName(text) ?? workspace) !== workspace
  const checks = useAttempts({ text, source: opened.source, editor }, !namesOther)
  const { attempt, markChecked } = checks
  const replaceText = (next: string) => {
    if (editor.current) editor.current.replace(next)
    else setText(next)
  }
  // Without edits of one's own, the page follows the file.
  useEffect(() => {
    const baseSource = currentBase.current.source
    if (opened.source === baseSource || currentText.current !== baseSource) return
    setBase(opened)
    if (editor.current) editor.current.replace(opened.source)
    else setText(opened.source)
    markChecked(opened.source)
  }, [opened, markChecked])
  const condition = (tag: string) => (namesOther ? {} : { base: tag })
  /** Like `attempt`, but shows what somebody else has changed meanwhile. */
  const attemptOnBase = (work: () => Promise<ApplyReply | undefined>) =>
    attempt(async () => {
      setMerged(false)
      try {
        return await work()
      } catch (fault) {
        if (!(fault instanceof FileChanged)) throw fault
        setCurrent(fault.current)
        return undefined
      }
    })
  /** Returns the changes of a dry run. If the file names another workspace, opens a dialog and returns undefined. */
  const compare = async () => {
    const planned = await callWithBase(workspace, base, tag => dryRun(text, condition(tag)))
    if (planned.workspace === workspace) return planned
    setOtherWorkspace(planned)
    return undefined
  }
  /** Applies exactly the changes of a dry run of the text. */
  const applyNow = async ({ plan }: ApplyReply) => {
    const reply = await callWithBase(workspace, base, tag =>
      apply.mutateAsync({ input: { source: text, plan, ...condition(tag) } }),
    )
    // The export also has parts that the file leaves out, such as members.
    const exported = await management.call('exportWorkspaceFile', { params: { workspace } })
    const isTyped = currentText.current !== text
    setBase(isTyped ? { ...exported, source: text } : exported)
    if (isTyped || exported.source === text) return reply
    replaceText(exported.source)
    markChecked(exported.source)
    return reply
  }
  const startFromCurrent = (file: FileBase, next: string) => {
    setCurrent(undefined)
    setBase(file)
    replaceText(next)
    setMerged(next !== file.source)
  }
  return {
    text,
    setText,
    base,
    editor,
    checks,
    replaceText,
    compare,
    applyNow,
    attemptOnBase,
    current,
    setCurrent,
    startFromCurrent,
    isMerged,
    otherWorkspace,
    setOtherWorkspace,
  }
}

/** Returns the text from before a sign-in, with what it started from. */
const readRecovered = (): { text: string; base: FileBase } | undefined => {
  const stored = readRecoveredText()
  // `keepDuringSignIn` kept it for this page.
  return stored === undefined ? undefined : (JSON.parse(stored) as { text: string; base: FileBase })
}

/** Keeps the text, with what it started from, while the person signs in again. */
const useTextDuringSignIn = (text: string, base: FileBase): void => {
  useEffect(clearDraft, [])
  useEffect(clearRecovered, [])
  useEffect(
    () => keepDuringSignIn(() => (text === base.source ? undefined : JSON.stringify({ text, base }))),
    [text, base],
  )
}
