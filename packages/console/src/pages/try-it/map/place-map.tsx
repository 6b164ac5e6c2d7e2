import { ActionIcon, Button } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { IconMinus, IconPlus } from '@tabler/icons-react'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { t, tCount } from '#i18n/translate.ts'
import type { Place } from '#pages/try-it/read-places.ts'
import { BaseMap } from './base-map.tsx'
import { fitView, makeClusters, project, type Size, toPixel, type View, zoom } from './projection.ts'

export interface MappedDocument {
  id: string
  title: string
  place: Place
}

interface PlaceMapProps {
  documents: readonly MappedDocument[]
  selected: readonly MappedDocument[]
  onSelect: (documents: readonly MappedDocument[]) => void
}

const mapHeight = 420
/** Before the width is measured. */
const defaultWidth = 640
const zoomFactor = 1.6
const panPixels = 60
const keySteps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-panPixels, 0],
  ArrowRight: [panPixels, 0],
  ArrowUp: [0, -panPixels],
  ArrowDown: [0, panPixels],
}

const move = (view: View, x: number, y: number): View => ({
  ...view,
  x: Math.max(-180, Math.min(180, view.x + x / view.scale)),
  y: Math.max(-180, Math.min(180, view.y + y / view.scale)),
})

/** The view of the map, and what changes it: dragging, keys, and the wheel with Ctrl. */
const useMapView = (documents: readonly MappedDocument[], size: Size) => {
  const [chosen, setChosen] = useState<View>()
  const view =
    chosen ??
    fitView(
      documents.map(({ place }) => project(place)),
      size,
    )
  const frame = useRef<HTMLElement>(null)
  const dragged = useRef<{ x: number; y: number }>(undefined)
  useEffect(() => {
    const element = frame.current
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return
      event.preventDefault()
      setChosen(zoom(view, event.deltaY < 0 ? 1.2 : 1 / 1.2, size))
    }
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  })
  return {
    view,
    frame,
    fit: () => setChosen(undefined),
    zoomBy: (factor: number) => setChosen(zoom(view, factor, size)),
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.target instanceof Element && event.target.closest('button, a')) return
        dragged.current = { x: event.clientX, y: event.clientY }
        event.currentTarget.setPointerCapture(event.pointerId)
      },
      onPointerMove: ({ clientX, clientY }: PointerEvent) => {
        const from = dragged.current
        if (!from) return
        dragged.current = { x: clientX, y: clientY }
        setChosen(move(view, from.x - clientX, from.y - clientY))
      },
      onPointerUp: () => {
        dragged.current = undefined
      },
      // The browser zooms by two fingers.
      onPointerCancel: () => {
        dragged.current = undefined
      },
      onKeyDown: (event: KeyboardEvent) => {
        const step = keySteps[event.key]
        if (step) setChosen(move(view, ...step))
        else if (event.key === '+') setChosen(zoom(view, zoomFactor, size))
        else if (event.key === '-') setChosen(zoom(view, 1 / zoomFactor, size))
        else return
        event.preventDefault()
      },
    },
  }
}

/** Documents at their places. Those that would cover each other are one point with their number. */
export const PlaceMap = ({ documents, selected, onSelect }: PlaceMapProps) => {
  const { ref, width } = useElementSize()
  const size = { width: width || defaultWidth, height: mapHeight }
  const { view, frame, fit, zoomBy, handlers } = useMapView(documents, size)
  const clusters = makeClusters(
    documents.map(document => ({ document, pixel: toPixel(project(document.place), view, size) })),
  )
  const isInside = ({ x, y }: { x: number; y: number }) => x >= 0 && y >= 0 && x <= width && y <= mapHeight
  return (
    <div ref={ref}>
      <section
        ref={frame}
        className="map"
        aria-label={t('Map. Arrow keys move it, plus and minus zoom.')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys move the map
        tabIndex={0}
        {...handlers}
      >
        <BaseMap
          view={view}
          size={size}
          points={clusters.map(({ x, y, items: [item, ...others] }) => ({
            x,
            y,
            title: others.length === 0 ? item?.document.title : undefined,
          }))}
        />
        {clusters
          .filter(cluster => width === 0 || isInside(cluster))
          .map(({ x, y, items }) => {
            const inside = items.map(({ document }) => document)
            const [first] = inside
            if (!first) return null
            return (
              <button
                key={`${first.id} ${first.place.lat} ${first.place.lon}`}
                type="button"
                className="map-point"
                aria-pressed={inside.some(document => selected.includes(document))}
                aria-label={
                  inside.length === 1
                    ? first.title
                    : tCount(inside.length, '{count} document here', '{count} documents here')
                }
                title={inside.length === 1 ? first.title : undefined}
                style={{ left: x, top: y }}
                onClick={() => onSelect(inside)}
              >
                {inside.length > 1 ? inside.length : ''}
              </button>
            )
          })}
        <div className="map-buttons">
          <ActionIcon variant="default" aria-label={t('Zoom in')} onClick={() => zoomBy(zoomFactor)}>
            <IconPlus size={18} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="default" aria-label={t('Zoom out')} onClick={() => zoomBy(1 / zoomFactor)}>
            <IconMinus size={18} aria-hidden />
          </ActionIcon>
          <Button variant="default" size="compact-sm" onClick={fit}>
            {t('Show all places')}
          </Button>
        </div>
        <a
          className="map-sources"
          href="/console/docs/console.html#map-and-comparison"
          target="_blank"
          rel="noreferrer"
        >
          {t('Map: Natural Earth, GeoNames')}
        </a>
      </section>
    </div>
  )
}
