/** The release. Room: core. Imported by what tells it to clients. */
export const VERSION = '0.1.0'
