/** A list whose items a person moves: by dragging, by keyboard at the handle, or with buttons. */
import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable'
import { ActionIcon, Group, Paper, Stack } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconGripVertical } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { t } from '#i18n/translate.ts'

export interface SortableItem {
  /** Stays the same when the item moves. */
  key: string
  /** For screen readers. */
  name: string
  content: ReactNode
  /** Other items move past it. */
  isFixed?: boolean
}

interface SortableListProps {
  label: string
  items: readonly SortableItem[]
  onMove: (from: number, target: number) => void
}

export const SortableList = ({ label, items, onMove }: SortableListProps) => {
  const sensors = useSensors(
    // A click on the handle does not start to drag.
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const list = useRef<HTMLDivElement>(null)
  const findIndex = (key: unknown) => items.findIndex(item => item.key === key)
  const describe = (key: unknown) => ({
    name: items[findIndex(key)]?.name ?? '',
    position: findIndex(key) + 1,
    count: items.length,
  })
  const drop = ({ active, over }: DragEndEvent) => {
    if (over && active.id !== over.id) onMove(findIndex(active.id), findIndex(over.id))
  }
  /** The button that was pressed moves with its item, and keeps the focus. */
  const step = (index: number, target: number) => {
    onMove(index, target)
    const direction = target < index ? 'up' : 'down'
    requestAnimationFrame(() => {
      const row = list.current?.children[target]
      const buttons = [...(row?.querySelectorAll<HTMLButtonElement>('button[data-step]') ?? [])]
      const sameButton = buttons.find(button => button.dataset.step === direction && !button.disabled)
      const focusable = sameButton ?? buttons.find(button => !button.disabled)
      focusable?.focus()
    })
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={drop}
      accessibility={{
        screenReaderInstructions: {
          draggable: t(
            'Press space to lift the item, the arrow keys to move it, space to drop it, Escape to cancel.',
          ),
        },
        announcements: {
          onDragStart: ({ active }) => t('Lifted {name}, at {position} of {count}.', describe(active.id)),
          onDragOver: ({ active, over }) =>
            over
              ? t('{name} is at {position} of {count}.', {
                  ...describe(over.id),
                  name: describe(active.id).name,
                })
              : undefined,
          onDragEnd: ({ active, over }) =>
            over
              ? t('Dropped {name} at {position} of {count}.', {
                  ...describe(over.id),
                  name: describe(active.id).name,
                })
              : undefined,
          onDragCancel: ({ active }) => t('Canceled. {name} is back at {position}.', describe(active.id)),
        },
      }}
    >
      <SortableContext items={items.map(({ key }) => key)} strategy={verticalListSortingStrategy}>
        <Stack gap="xs" role="list" aria-label={label} ref={list}>
          {items.map((item, index) => (
            <Row
              key={item.key}
              item={item}
              onUp={index === 0 ? undefined : () => step(index, index - 1)}
              onDown={index === items.length - 1 ? undefined : () => step(index, index + 1)}
            />
          ))}
        </Stack>
      </SortableContext>
    </DndContext>
  )
}

interface RowProps {
  item: SortableItem
  /** Undefined for the first item. */
  onUp: (() => void) | undefined
  /** Undefined for the last item. */
  onDown: (() => void) | undefined
}

const Row = ({ item: { key, name, content, isFixed = false }, onUp, onDown }: RowProps) => {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } =
    useSortable({
      id: key,
      disabled: { draggable: isFixed, droppable: false },
    })
  return (
    <Paper
      ref={setNodeRef}
      role="listitem"
      withBorder
      p="sm"
      pos="relative"
      style={{
        transform: transform ? `translate3d(${transform.x}px, ${transform.y}px, 0)` : undefined,
        transition,
        zIndex: isDragging ? 1 : undefined,
        boxShadow: isDragging ? 'var(--mantine-shadow-md)' : undefined,
      }}
    >
      <Group wrap="nowrap" align="flex-start" gap="sm">
        {!isFixed && (
          <ActionIcon
            ref={setActivatorNodeRef}
            {...attributes}
            {...listeners}
            variant="subtle"
            color="gray"
            aria-label={t('Move {name}', { name })}
            style={{ cursor: 'grab', touchAction: 'none' }}
          >
            <IconGripVertical size={18} />
          </ActionIcon>
        )}
        <div style={{ flex: 1, minWidth: 0 }}>{content}</div>
        {!isFixed && (
          <Group gap={2} wrap="nowrap">
            <StepButton step="up" label={t('Move {name} up', { name })} onClick={onUp}>
              <IconChevronUp size={18} />
            </StepButton>
            <StepButton step="down" label={t('Move {name} down', { name })} onClick={onDown}>
              <IconChevronDown size={18} />
            </StepButton>
          </Group>
        )}
      </Group>
    </Paper>
  )
}

interface StepButtonProps {
  step: 'up' | 'down'
  label: string
  /** Undefined disables the button. */
  onClick: (() => void) | undefined
  children: ReactNode
}

const StepButton = ({ step, label, onClick, children }: StepButtonProps) => (
  <ActionIcon
    variant="subtle"
    color="gray"
    data-step={step}
    aria-label={label}
    disabled={onClick === undefined}
    {...(onClick ? { onClick } : {})}
  >
    {children}
  </ActionIcon>
)
