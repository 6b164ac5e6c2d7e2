import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type AllowedNumbers, listReadings, readNumber } from './read-number.ts'

const days: AllowedNumbers = { min: 1, max: 3650, isWhole: true }
const factor: AllowedNumbers = { min: 0, isAbove: true, max: 1000 }
const latitude: AllowedNumbers = { min: -90, max: 90 }

test('a number is what stands in the field, and no other', () => {
  const rows: [string, AllowedNumbers, number][] = [
    ['7', days, 7],
    [' 3650 ', days, 3650],
    ['99999', days, Number.NaN],
    ['7.5', days, Number.NaN],
    ['7,5', days, Number.NaN],
    ['0', days, Number.NaN],
    ['-5', days, Number.NaN],
    ['1e3', days, 1000],
    ['seven', days, Number.NaN],
    ['7 days', days, Number.NaN],
    ['0x10', days, Number.NaN],
    ['Infinity', { min: 0 }, Number.NaN],
    ['1e999', { min: 0 }, Number.NaN],
    ['0', factor, Number.NaN],
    ['1000', factor, 1000],
    ['0,125', factor, 0.125],
    ['.5', factor, 0.5],
    ['52,370', latitude, 52.37],
    ['-4.125', latitude, -4.125],
    ['−4', latitude, -4],
  ]
  for (const [text, allowed, number] of rows) assert.deepEqual(readNumber(text, allowed), number, text)
})

test('signs between digits group those of a whole number, and are not guessed in others', () => {
  for (const text of ['3,650', '3.650', '3 650', '3’650']) assert.equal(readNumber(text, days), 3650, text)
  assert.ok(Number.isNaN(readNumber('36,50', days)))
  assert.ok(Number.isNaN(readNumber('1,000', factor)))
  assert.deepEqual(listReadings('1,000', factor), [1, 1000])
})

test('every field for a number of the console is a NumberField, because other inputs drop keys', () => {
  const folder = join(import.meta.dirname, '..')
  const otherInputs = globSync('**/*.tsx', { cwd: folder }).filter(name =>
    /<NumberInput|type="number"/.test(readFileSync(join(folder, name), 'utf8')),
  )
  assert.deepEqual(otherInputs, [])
})
