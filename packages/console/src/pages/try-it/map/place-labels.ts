/** Chooses names that fit on a map without covering each other. */
import type { Point } from './projection.ts'

export interface Label extends Point {
  text: string
  /** Whether the name is on the left of its point, because the map ends on the right. */
  isLeft?: boolean
}

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** Width of a character in the font of the map. */
const characterPixels = 6.4
const linePixels = 15
/** From the point to its name. */
export const labelGap = 5

const boxAround = ({ x, y, text, isLeft }: Label, gap: number): Box => {
  const length = gap + text.length * characterPixels
  return {
    left: x - (isLeft ? length : gap),
    top: y - linePixels / 2,
    right: x + (isLeft ? gap : length),
    bottom: y + linePixels / 2,
  }
}

/** Returns whether a name on the right of its point would be cut off. */
export const isCutOff = ({ x, text }: Label, gap: number, width: number): boolean =>
  // A character of a bold name is wider.
  x + gap + text.length * (characterPixels + 1) > width

const isApart = (one: Box, other: Box): boolean =>
  one.right < other.left || other.right < one.left || one.bottom < other.top || other.bottom < one.top

/** Returns the labels to show, the first ones first. `covered`: where nothing may be written. */
export const placeLabels = <L extends Label>(
  labels: Iterable<L>,
  { covered = [], gap = labelGap, max }: { covered?: readonly Box[]; gap?: number; max: number },
): { shown: L[]; boxes: Box[] } => {
  const boxes = [...covered]
  const labelsShown: L[] = []
  for (const label of labels) {
    if (labelsShown.length >= max) break
    const box = boxAround(label, gap)
    if (!boxes.every(other => isApart(box, other))) continue
    boxes.push(box)
    labelsShown.push(label)
  }
  return { shown: labelsShown, boxes }
}

/** Returns the square that a point covers. */
export const pointBox = ({ x, y }: Point, radius: number): Box => ({
  left: x - radius,
  top: y - radius,
  right: x + radius,
  bottom: y + radius,
})
