/**
 * Parses the JSON of a request body with pauses for the event loop, and accounts for its memory.
 */
import { toUtf8 } from '../base/bytes.ts'
import type { Clock } from '../base/clock.ts'
import { KernelError } from '../base/errors.ts'
import { Slices } from '../base/slices.ts'
import { SLICE_BYTES, type Steps } from '../base/steps.ts'
import { parseJson, parseJsonNow } from '../json/json.ts'
import { BODY_LIMITS } from '../json/json-cursor.ts'
import type { BodyAccount } from './body-budget.ts'
import { snapshotJsonOrSteps } from './snapshot.ts'

/** Whether the body is still text that must be parsed. */
export const isUnparsed = (body: unknown): body is Uint8Array | string => body instanceof Uint8Array || typeof body === 'string'

/** @param most The maximum size in bytes. @throws KernelError 413 */
export function bodyBytes(body: Uint8Array | string, most: number): Uint8Array {
  const bytes = typeof body === 'string' ? toUtf8(body) : body
  if (bytes.length > most) throw tooLarge(most)
  return bytes
}

export const tooLarge = (most: number): KernelError => new KernelError('ERR_REQUEST_TOO_LARGE', `body: exceeds ${most} bytes`)

/**
 * @param held The account for the memory of the body.
 * @throws KernelError 400, 413, 503
 */
export function parseBody<T>(
  bytes: Uint8Array,
  take: (value: unknown) => T,
  { clock, held }: { readonly clock: Clock; readonly held: BodyAccount },
): T | Promise<T> {
  if (bytes.length <= SLICE_BYTES) {
    held.addShort(bytes.length)
    return take(parseJsonNow(bytes))
  }
  return held.parse(async () => {
    held.addText(bytes.length)
    return take(await new Slices(clock).drive(parseJson(bytes, BODY_LIMITS, held.grow)))
  })
}

/**
 * Copies a body that was passed as a value. The application has already parsed such a body, so the caller counts as authorized.
 * @param most The maximum size in bytes of JSON text. @throws KernelError 400, 413, 503
 */
export function copyBody<T>(
  body: unknown,
  take: (value: unknown) => T,
  { clock, held, most }: { readonly clock: Clock; readonly held: BodyAccount; readonly most: number },
): T | Promise<T> {
  held.setAuthorized()
  const later = (steps: Steps<unknown>): Promise<T> => new Slices(clock).drive(steps).then(take)
  return snapshotJsonOrSteps<T | Promise<T>>(body, most, take, later, held.grow)
}
