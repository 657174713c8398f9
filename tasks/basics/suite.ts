import { defineSuite } from 'agent-bench'

export default defineSuite({
  title: 'Calling tools at all',
  description: 'Can the model call a tool, use what it gives back and answer?',
  byDefault: false,
})
