// @ts-check
/** Formats times, durations, numbers and sizes for people. */
import { el } from './dom.js'

/** How much the server's clock is ahead of the browser's, in milliseconds. */
let ahead = 0

/** @param {number} seconds The server's time, in seconds since 1970. */
export function setServerTime(seconds) {
  const difference = seconds * 1000 - Date.now()
  ahead = Math.abs(difference) < 2000 ? 0 : difference
}

/** The time of the server, in milliseconds since 1970. */
export const serverNow = () => Date.now() + ahead

const NUMBERS = new Intl.NumberFormat('en-US')

/** @param {unknown} value */
export const count = (value) => (typeof value === 'number' ? NUMBERS.format(value) : String(value ?? '–'))

/** @param {number} value */
export function bytes(value) {
  if (value < 1024) return `${count(value)} B`
  const units = ['KiB', 'MiB', 'GiB']
  let size = value / 1024
  let unit = 0
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024
  return `${size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`
}

const UNITS = /** @type {const} */ ([
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
])

/** @param {number} seconds At most two units, such as `3 d 4 h`. */
export function duration(seconds) {
  let rest = Math.round(Math.abs(seconds))
  if (rest < 1) return '0 s'
  const parts = []
  for (const [name, size] of UNITS) {
    const whole = Math.floor(rest / size)
    rest -= whole * size
    if (whole > 0) parts.push(`${count(whole)} ${name}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ')
}

/**
 * A time in UTC, with its distance from now.
 * @param {string | number | null | undefined} value RFC 3339, or seconds since 1970.
 */
export function time(value) {
  const at = typeof value === 'number' ? value * 1000 : Date.parse(value ?? '')
  if (!Number.isFinite(at)) return '–'
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return String(value)
  const text = date.toISOString()
  const seconds = (at - serverNow()) / 1000
  const distance = Math.abs(seconds) < 1 ? 'now' : seconds > 0 ? `in ${duration(seconds)}` : `${duration(seconds)} ago`
  return el(
    'span',
    { class: 'time' },
    el('time', { datetime: text }, el('span', {}, text.slice(0, 10)), ' ', el('span', {}, `${text.slice(11, 19)} UTC`)),
    ' ',
    el('small', {}, distance),
  )
}

/** @param {boolean | undefined} value */
export const yesNo = (value) => (value === undefined ? '–' : value ? 'yes' : 'no')

/** @param {unknown} value */
export const text = (value) => (value === undefined || value === null || value === '' ? '–' : String(value))
