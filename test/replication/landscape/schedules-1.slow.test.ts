import { schedules } from './schedules.ts'

schedules(0)
