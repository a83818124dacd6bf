import type { Result } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import type { CloudStaticRole } from '../records.ts'

export const SHOWN_ROLE = {
  name: f.text('The name of the role.'),
  username: f.text('The name of the IAM user.'),
  id: f.text(
    'The immutable id of the IAM user. If the user is deleted and another user with the same name is created, the keys of the new user are not changed.',
  ),
  rotation_period: f.int('Seconds between rotations.'),
}

export type ShownRole = Result<typeof SHOWN_ROLE>

export const shownRole = (
  { username, id, rotation_period }: Pick<CloudStaticRole, 'username' | 'id' | 'rotation_period'>,
  name: string,
): ShownRole => ({ name, username, id, rotation_period })
