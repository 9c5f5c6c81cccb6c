"""Need page: rules and analyses in, the best release or a proof out."""
