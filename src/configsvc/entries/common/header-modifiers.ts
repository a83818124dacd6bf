import { list, map, record, text } from '../members/index.ts'

export const HEADER_MODIFIERS = record({ Add: map(text()), Set: map(text()), Remove: list(text()) })
