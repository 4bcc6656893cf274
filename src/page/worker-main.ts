import { workForPage } from './worker.ts'

/** The part of the program that workers run. */
workForPage()
