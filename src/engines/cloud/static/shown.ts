/**
 * A static role as it is shown.
 */
import { f } from '../../../core/field/fields.ts'
import type { CloudStaticRole } from '../records.ts'

export const SHOWN_ROLE = {
  name: f.text('The name of the role.'),
  username: f.text('The user.'),
  id: f.text('The user’s immutable id: another user of the same name is not touched.'),
  rotation_period: f.int('Seconds from one new key to the next.'),
}

export interface ShownRole {
  readonly name: string
  readonly username: string
  readonly id: string
  readonly rotation_period: number
}

export const shownRole = (
  name: string,
  { username, id, rotation_period }: Pick<CloudStaticRole, 'username' | 'id' | 'rotation_period'>,
): ShownRole => ({ name, username, id, rotation_period })
