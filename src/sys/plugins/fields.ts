import { f } from '../../core/field/fields.ts'

export const PLUGIN_TYPE = f.name('The type: `auth`, `database` or `secret`.')
export const PLUGIN_NAME = f.name('The name of the plugin.')
export const PLUGIN_VERSION = f.text('The version, such as `1.2.3`. Default: the plugin without a version.').default('')
