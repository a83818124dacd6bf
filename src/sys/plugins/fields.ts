import { f } from '../../core/field/fields.ts'

export const TYPE = f.name('The type: `auth`, `database` or `secret`.')
export const NAME = f.name('The name of the plugin.')
export const VERSION = f.text('The version, such as `1.2.3`. Default: the plugin without a version.').default('')
