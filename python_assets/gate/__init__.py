"""Two runs of one study compared, for a pipeline that ships models: which groups moved past their margin."""
